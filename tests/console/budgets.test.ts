import { describe, expect, test } from 'bun:test'

import { bundleConsole } from '../../src/console-bundle'

const KB = 1_000
const files = (await bundleConsole()).map(({ path, bytes }) => ({
  path,
  text: /\.(js|css|html)$/.test(path) ? new TextDecoder().decode(bytes) : '',
  size: Bun.gzipSync(bytes, { level: 9 }).length,
}))
const page = files.find(({ path }) => path === 'index.html')?.text ?? ''
const isFirst = (path: string): boolean => page.includes(`/${path}`)
const sumOf = (which: (path: string) => boolean): number =>
  files.reduce((sum, { path, size }) => sum + (which(path) ? size : 0), 0)

describe('the files of the console, compressed', () => {
  test('that the sign-in needs stay below 180 KB of script and 12 KB of style', () => {
    expect(sumOf((path) => isFirst(path) && path.endsWith('.js'))).toBeWithin(1, 180 * KB)
    expect(sumOf((path) => isFirst(path) && path.endsWith('.css'))).toBeWithin(1, 12 * KB)
  })

  // Nobody loads more than one language besides English: the largest of them counts. 900 KB were meant
  // for all areas; with everything that the API can do they need more, each only when it is opened.
  test('that are loaded later stay below 90 KB each, an editor below 130, and 1,100 KB in all', () => {
    const limitOf = (path: string): number => (/\/(?:flow|code)-editor-/.test(path) ? 130 : 90) * KB
    const large = files.filter(({ path, size }) => !isFirst(path) && size > limitOf(path))
    expect(large.map(({ path }) => path)).toEqual([])
    const languages = files.filter(({ path }) => /^assets\/(?:ar|de|es|pt)-/.test(path))
    expect(languages).toHaveLength(4)
    const sizes = languages.map(({ size }) => size)
    // what notifications say, of one language
    const notices = files.filter(({ path }) => path.startsWith('assets/notices-'))
    expect(notices).toHaveLength(5)
    const others = [...languages, ...notices].reduce((sum, { size }) => sum + size, 0)
    const loaded = Math.max(...sizes) + Math.max(...notices.map(({ size }) => size))
    const all = sumOf((path) => /\.(js|css)$/.test(path))
    expect(all - others + loaded).toBeLessThan(1_100 * KB)
  })

  test('have the styles of their areas apart, each named by code that is loaded later', () => {
    const late = files.filter(({ path }) => path.endsWith('.css') && !isFirst(path))
    expect(late.length).toBeGreaterThan(5)
    for (const { path, text } of late) {
      expect(path).toMatch(/^assets\/[a-z-]+-[0-9a-z]{8,}\.css$/)
      expect(text).toStartWith('@layer pages{')
      const users = files.filter((file) => file.path.endsWith('.js') && file.text.includes(path))
      expect(users).not.toEqual([])
      expect(users.filter((file) => isFirst(file.path))).toEqual([])
    }
  })

  test('take no width for a smaller one, as it would be on a tablet of just that width', () => {
    const widths = files.flatMap(
      ({ path, text }) =>
        (path.endsWith('.css') && text.match(/\(max-width:\s*calc\([^()]+\)/g)) || [],
    )
    expect(widths.length).toBeGreaterThan(5)
    // Chromium rounds lengths to 64ths of a pixel
    expect(widths.filter((width) => !width.endsWith('rem - .02px)'))).toEqual([])
  })

  test('have no page for developers', () => {
    expect(files.filter(({ text }) => /dev-parts/.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('name no other host', () => {
    // Namespaces, and the addresses of explanations of errors, are never asked for.
    const known =
      /^https?:\/\/(www\.w3\.org|react\.dev|reactflow\.dev|www\.openstreetmap\.org|business\.facebook\.com|tanstack\.com|reactjs\.org|localhost)/
    const named = files.flatMap(({ text }) => text.match(/https?:\/\/[\w.-]+/g) ?? [])
    expect([...new Set(named)].filter((one) => !known.test(one))).toEqual([])
  })
})
