import { request, type Route, type Wish } from './client'

/** Time in which the browser has begun to store a file, milliseconds. */
const STORING_MS = 60_000

/** Saves a file on the device. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => {
    URL.revokeObjectURL(link.href)
  }, STORING_MS)
}

/** Saves the file that an operation of the API answers with on the device. */
export async function saveFile<R extends Route>(
  route: R,
  wish: Wish<R>,
  name: string,
): Promise<void> {
  download(await (await request(route, wish)).blob(), name)
}
