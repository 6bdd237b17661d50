import { NotFoundError as RouteNotFound } from 'elysia'

import { knowsTag, takesCoding } from './content-coding'
import type { StaticFile } from './embedded-files'

/** A file with its entity tag. */
interface TaggedFile extends StaticFile {
  etag: string
}

/** The smallest form of a file that the client takes, with its content encoding. */
function smallest(request: Request, file: StaticFile): { body: Blob; encoding: string | null } {
  if (file.brotli && takesCoding(request, 'br')) return { body: file.brotli, encoding: 'br' }
  if (file.gzip && takesCoding(request, 'gzip')) return { body: file.gzip, encoding: 'gzip' }
  return { body: file.plain, encoding: null }
}

/** Responds with a file in a form that the client takes, or with 304 if the client has it. */
export function staticResponse(
  request: Request,
  file: TaggedFile,
  headers: Record<string, string>,
): Response {
  const all = {
    vary: 'accept-encoding',
    ...headers,
    etag: file.etag,
    'content-type': file.type,
  }
  if (knowsTag(request, file.etag)) return new Response(null, { status: 304, headers: all })
  const { body, encoding } = smallest(request, file)
  return new Response(body, {
    headers: { ...all, ...(encoding === null ? {} : { 'content-encoding': encoding }) },
  })
}

/**
 * Returns a function that finds a file by its path. The files are loaded when the first one is asked
 * for. It throws RouteNotFound.
 */
export function staticFiles(load: () => Promise<StaticFile[]>) {
  let loading: Promise<Map<string, StaticFile>> | null = null
  const tags = new Map<string, string>()
  return async (path: string): Promise<TaggedFile> => {
    loading ??= load().then(
      (files) => new Map(files.map((file) => [file.path, file])),
      (error: unknown) => {
        loading = null // the source may be correct at the next request
        throw error
      },
    )
    const file = (await loading).get(path)
    if (!file) throw new RouteNotFound()
    const etag = tags.get(path) ?? `"${Bun.hash(await file.plain.bytes()).toString(36)}"`
    tags.set(path, etag)
    return { ...file, etag }
  }
}
