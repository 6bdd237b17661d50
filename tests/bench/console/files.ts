import { bundleConsole } from '../../../src/console-bundle'
import type { Figure } from './figure'

/** Measures the files of the console, compressed as they are sent. */
export async function measureFiles(): Promise<Figure[]> {
  const files = (await bundleConsole()).map(({ path, bytes }) => ({
    path,
    text: /\.(html|js)$/.test(path) ? new TextDecoder().decode(bytes) : '',
    kb: Bun.gzipSync(bytes, { level: 9 }).length / 1_000,
  }))
  const page = files.find(({ path }) => path === 'index.html')?.text ?? ''
  const isFirst = ({ path }: { path: string }): boolean => page.includes(`/${path}`)
  const sum = (some: { kb: number }[]): number => some.reduce((total, { kb }) => total + kb, 0)
  const code = files.filter(({ path }) => /\.(js|css)$/.test(path))
  const later = code.filter((file) => !isFirst(file)).map(({ kb }) => kb)
  const first = (end: string): number =>
    sum(code.filter((file) => isFirst(file) && file.path.endsWith(end)))
  // what the start loads besides (`main.tsx`), with all that it imports
  const start = new Set(
    code.filter((file) => isFirst(file) || /\/(?:signed-in|inbox)-/.test(file.path)),
  )
  for (const { text } of start)
    for (const file of code)
      if (new RegExp(`(?:from|import)\\s*"/${file.path}"`).test(text)) start.add(file)
  const scripts = [...start].filter(({ path }) => path.endsWith('.js'))
  return [
    { what: 'first load, script (gzip)', value: first('.js'), unit: 'KB', limit: 180 },
    { what: 'first load, style (gzip)', value: first('.css'), unit: 'KB', limit: 12 },
    { what: 'all script until the first list (gzip)', value: sum(scripts), unit: 'KB', limit: 230 },
    { what: 'largest chunk loaded later (gzip)', value: Math.max(...later), unit: 'KB', limit: 90 },
    { what: `all ${code.length} files (gzip)`, value: sum(code), unit: 'KB', limit: 900 },
  ]
}
