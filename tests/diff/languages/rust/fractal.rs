//! A fractal, the part that takes the longest.

use std::hint::black_box;

/// How many steps a point stays near: the hot function.
#[inline(never)]
fn escape_time(x: f64, y: f64, repeats: usize) -> u64 {
    let (mut steps, mut repeat) = (0, 0);
    // No iterators here, which would be frames of their own.
    while repeat < repeats {
        let (mut a, mut b, mut step) = (0.0, 0.0, 0);
        while step < 48 && a * a + b * b <= 4.0 {
            (a, b) = (a * a - b * b + x, 2.0 * a * b + y);
            step += 1;
        }
        steps = black_box(step);
        repeat += 1;
    }
    steps
}

fn shade(steps: u64) -> u8 {
    b" .:-=+*#%@"[steps as usize % 10]
}

#[inline(never)]
pub fn draw(width: usize, height: usize, repeats: usize) -> u64 {
    let mut picture = Vec::new();
    for row in 0..height {
        for column in 0..width {
            let x = column as f64 / width as f64 * 3.0 - 2.0;
            let y = row as f64 / height as f64 * 2.0 - 1.0;
            picture.push(shade(escape_time(x, y, repeats)));
        }
        picture.push(b'\n');
    }
    picture.iter().map(|&byte| u64::from(byte)).sum()
}
