import type { Readable } from 'node:stream'

import type { ZipFile } from 'yazl'

/**
 * Returns the bytes of an archive. An error of the archive ends the stream with `toError(error)`,
 * and the next read throws it, even if the error occurs before the first read.
 */
export function zipOutput(
  zip: ZipFile,
  toError: (error: unknown) => Error = (error) => error as Error,
): Readable {
  const output = zip.outputStream as Readable
  // A stream that is destroyed while nobody listens for errors would end the process.
  output.on('error', () => undefined)
  zip.on('error', (error: unknown) => output.destroy(toError(error)))
  return output
}
