import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }

import type { BundledFile } from './console-bundle'

const FILES = [
  ['swagger-ui-bundle.js', script, 'text/javascript;charset=utf-8'],
  ['swagger-ui.css', style, 'text/css;charset=utf-8'],
] as const

/** Returns the files of the viewer that shows one part of the API's description. */
export const bundleViewer = (): Promise<BundledFile[]> =>
  Promise.all(
    FILES.map(async ([path, file, type]) => ({ path, type, bytes: await Bun.file(file).bytes() })),
  )
