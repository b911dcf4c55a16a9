//! fieldscan: visits the vibration sensors of a plant. A sensor is sampled in
//! short bursts, a moment apart as its data sheet asks; then its spectrum tells
//! which machines need care. Several workers share the list of sensors.
//!
//!     fieldscan SENSORS

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const WORKERS: usize = 8;
const BURSTS: usize = 4;
const BURST_LENGTH: usize = 512;
const PAUSE: Duration = Duration::from_millis(1);
const RATE: f64 = 8000.0;

#[derive(Clone, Copy, Debug)]
struct Sensor {
    id: u32,
    machine: u32,
    turns_per_second: f64,
    wear: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Health {
    Good,
    Watch,
    Repair,
}

#[derive(Debug)]
struct Finding {
    machine: u32,
    health: Health,
    loudest: f64,
}

type Sensors = Arc<Mutex<VecDeque<Sensor>>>;

fn scatter(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x45d9f3b);
    let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x45d9f3b);
    mixed ^ mixed >> 16
}

fn list_sensors(count: u32) -> VecDeque<Sensor> {
    (0..count)
        .map(|id| Sensor {
            id,
            machine: id / 6,
            turns_per_second: 20.0 + f64::from(scatter(id / 6) % 40),
            wear: f64::from(scatter(id + 7) % 1000) / 1000.0,
        })
        .collect()
}

/// The signal of a sensor: the shaft, a bearing that rattles with wear, noise.
fn signal(sensor: &Sensor, tick: usize) -> f64 {
    let time = tick as f64 / RATE;
    let shaft = (TAU * sensor.turns_per_second * time).sin();
    let bearing = sensor.wear.powi(3) * (TAU * sensor.turns_per_second * 5.4 * time).sin();
    let noise = f64::from(scatter(sensor.id * 8191 + tick as u32) % 2000) / 1000.0 - 1.0;
    shaft + 1.5 * bearing + 0.2 * noise
}

fn sample(sensor: &Sensor) -> Vec<f64> {
    let mut samples = Vec::with_capacity(BURSTS * BURST_LENGTH);
    for burst in 0..BURSTS {
        thread::sleep(PAUSE);
        let start = burst * BURST_LENGTH;
        samples.extend((start..start + BURST_LENGTH).map(|tick| signal(sensor, tick)));
    }
    samples
}

/// Fades the ends of a measurement in and out.
fn window(samples: &mut [f64]) {
    let length = samples.len() as f64;
    for (at, sample) in samples.iter_mut().enumerate() {
        *sample *= 0.5 - 0.5 * (TAU * at as f64 / length).cos();
    }
}

/// Strength of one frequency in the samples, by Goertzel's recurrence.
fn strength(samples: &[f64], frequency: f64) -> f64 {
    let turn = 2.0 * (TAU * frequency / RATE).cos();
    let (mut last, mut before) = (0.0, 0.0);
    for sample in samples {
        (last, before) = (sample + turn * last - before, last);
    }
    let power = last * last + before * before - turn * last * before;
    4.0 * power.max(0.0).sqrt() / samples.len() as f64
}

fn judge(sensor: &Sensor, samples: &[f64]) -> Finding {
    let shaft = strength(samples, sensor.turns_per_second);
    let bearing = strength(samples, sensor.turns_per_second * 5.4) / shaft.max(1e-9);
    let health = match bearing {
        ratio if ratio > 1.0 => Health::Repair,
        ratio if ratio > 0.5 => Health::Watch,
        _ => Health::Good,
    };
    let loudest = (1..60)
        .map(|step| f64::from(step) * 10.0)
        .max_by(|a, b| strength(samples, *a).total_cmp(&strength(samples, *b)));
    Finding { machine: sensor.machine, health, loudest: loudest.unwrap_or(0.0) }
}

fn work(sensors: Sensors) -> Vec<Finding> {
    let mut findings = Vec::new();
    while let Some(sensor) = sensors.lock().unwrap().pop_front() {
        let mut samples = sample(&sensor);
        window(&mut samples);
        findings.push(judge(&sensor, &samples));
    }
    findings
}

/// A machine is as sound as its worst sensor says.
fn by_machine(findings: &[Finding]) -> BTreeMap<u32, Health> {
    let mut machines = BTreeMap::new();
    for finding in findings {
        let worst = machines.entry(finding.machine).or_insert(finding.health);
        *worst = finding.health.max(*worst);
    }
    machines
}

fn main() {
    let count = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(700);
    let sensors: Sensors = Arc::new(Mutex::new(list_sensors(count)));
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let sensors = Arc::clone(&sensors);
            thread::spawn(move || work(sensors))
        })
        .collect();

    let findings: Vec<Finding> =
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker broke")).collect();
    let machines = by_machine(&findings);
    for health in [Health::Good, Health::Watch, Health::Repair] {
        println!("{health:?}: {} machines", machines.values().filter(|&&of| of == health).count());
    }
    let mean = findings.iter().map(|finding| finding.loudest).sum::<f64>() / findings.len() as f64;
    println!("{} sensors, loudest at {mean:.1} Hz on average", findings.len());
}
