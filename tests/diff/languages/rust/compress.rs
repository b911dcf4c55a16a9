//! Compression, and checksums.

/// The method of Lempel and Ziv: offset, length and the next byte.
#[inline(never)]
fn pack(data: &[u8]) -> Vec<(u16, u8, u8)> {
    let mut last = vec![usize::MAX; 4096];
    let mut packed = Vec::new();
    let mut at = 0;
    while at + 3 < data.len() {
        let slot = key(&data[at..]);
        let before = std::mem::replace(&mut last[slot], at);
        let length = if before == usize::MAX { 0 } else { common(data, before, at) };
        packed.push(((at.wrapping_sub(before)) as u16, length as u8, data[at + length]));
        at += length + 1;
    }
    packed.extend(data[at.min(data.len())..].iter().map(|&byte| (0, 0, byte)));
    packed
}

fn key(data: &[u8]) -> usize {
    let three = u32::from(data[0]) | u32::from(data[1]) << 8 | u32::from(data[2]) << 16;
    (three.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

#[inline(never)]
fn common(data: &[u8], before: usize, at: usize) -> usize {
    let most = (data.len() - at - 1).min(200);
    (0..most).take_while(|&step| data[before + step] == data[at + step]).count()
}

#[inline(never)]
fn unpack(packed: &[(u16, u8, u8)]) -> Vec<u8> {
    let mut data = Vec::new();
    for &(offset, length, next) in packed {
        for _ in 0..length {
            data.push(data[data.len() - usize::from(offset)]);
        }
        data.push(next);
    }
    data
}

#[inline(never)]
fn crc(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc: u32, &byte| {
        (0..4).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

#[inline(never)]
fn hexadecimal(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[inline(never)]
fn frequencies(data: &[u8]) -> [usize; 256] {
    let mut counts = [0; 256];
    for &byte in data {
        counts[usize::from(byte)] += 1;
    }
    counts
}

#[inline(never)]
fn entropy(counts: &[usize; 256], size: usize) -> f64 {
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| count as f64 / size as f64);
    shares.map(|share| -share * share.log2()).sum()
}

pub fn round_trip(data: &[u8]) -> u64 {
    let packed = pack(data);
    let again = unpack(&packed);
    let bits = entropy(&frequencies(data), data.len());
    let digits = hexadecimal(&data[..data.len().min(400)]);
    u64::from(crc(&again)) + bits as u64 + digits.len() as u64 + u64::from(again == data)
}
