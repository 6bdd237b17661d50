import type { BundledFile } from './console-bundle'

const FILES = [
  ['swagger-ui-bundle.js', 'text/javascript;charset=utf-8'],
  ['swagger-ui.css', 'text/css;charset=utf-8'],
] as const

/** Returns the files of the viewer that shows one part of the API's description. */
export const bundleViewer = (): Promise<BundledFile[]> =>
  Promise.all(
    FILES.map(async ([path, type]) => ({
      path,
      type,
      bytes: await Bun.file(Bun.resolveSync(`swagger-ui-dist/${path}`, import.meta.dir)).bytes(),
    })),
  )
