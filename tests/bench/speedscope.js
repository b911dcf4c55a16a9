// Imports a file as speedscope's package does, without its page, and prints the result.
//
// Usage: node speedscope.js PACKAGE FILE
const fs = require('fs')
const path = require('path')
const vm = require('vm')

const [folder, file] = process.argv.slice(2)
const release = path.join(folder, 'dist/release')
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name))
const page = fs.readFileSync(path.join(release, bundle), 'utf8')

// The package is a page. The promise of its importer is a variable that only this function uses.
const use = /async function \w+\(\w+,\w+\)\{return\(await (\w+)\)\.importProfilesFromArrayBuffer/
const opened = page.replace(use, (all, promise) => `globalThis.importer=${promise};${all}`)

// Everything that the page may use of its window.
const anything = new Proxy(function () {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything),
    apply: () => anything,
    construct: () => anything,
})
Object.assign(globalThis, { window: anything, document: anything, localStorage: anything })
const { log } = console
// It prints much about the file, which would only cost time.
for (const kind of ['log', 'warn', 'error']) console[kind] = () => {}
try {
    vm.runInThisContext(opened)
} catch {
    // It cannot draw.
}
globalThis.importer.then(async (importer) => {
    const bytes = fs.readFileSync(file)
    const start = bytes.byteOffset
    const buffer = bytes.buffer.slice(start, start + bytes.length)
    const group = await importer.importProfilesFromArrayBuffer(path.basename(file), buffer)
    for (const profile of group.profiles) log(profile.getName(), profile.getTotalWeight())
})
