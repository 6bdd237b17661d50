import type { Data, Route } from './client'
import { errorOf } from './error'
import { accessToken, refreshSession } from './session'

interface Options {
  signal: AbortSignal
  /** Told which share of the file has left, from 0 to 1. */
  onProgress: (share: number) => void
}

/** A request that tells how much of its body has left, as `fetch` does not. */
function send(
  path: string,
  token: string | null,
  body: FormData,
  options: Options,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    if (token !== null) request.setRequestHeader('authorization', `Bearer ${token}`)
    request.upload.onprogress = ({ loaded, total }) => {
      options.onProgress(total === 0 ? 0 : loaded / total)
    }
    request.onload = () => {
      const { status, responseText } = request
      resolve(new Response(responseText, { status }))
    }
    request.onerror = () => {
      reject(new TypeError('The server cannot be reached.'))
    }
    request.onabort = () => {
      reject(new DOMException('The upload was stopped.', 'AbortError'))
    }
    options.signal.addEventListener('abort', () => {
      request.abort()
    })
    if (options.signal.aborted) request.abort()
    else request.send(body)
  })
}

/** Uploads a form with a file. Throws as `call`. */
export async function upload<R extends Route & `POST ${string}`>(
  route: R,
  body: FormData,
  options: Options,
): Promise<Data<R>> {
  const path = route.slice('POST '.length)
  let response = await send(path, await accessToken(), body, options)
  if (response.status === 401 && (await refreshSession()))
    response = await send(path, await accessToken(), body, options)
  if (!response.ok) throw await errorOf(response)
  return ((await response.json()) as { data: Data<R> }).data
}
