import { knowsTag, takesCoding } from './content-coding'

/** A text as it is sent: compressed, with its entity tag. */
export interface CompressedText {
  gzip: Uint8Array<ArrayBuffer>
  etag: string
}

/** Compresses a text that is sent many times. */
export const compressText = (text: string): CompressedText => ({
  gzip: Bun.gzipSync(text),
  etag: `"${Bun.hash(text).toString(36)}"`,
})

/** Responds with a text, or with 304 if the client has it. Browsers revalidate it by default. */
export function compressedResponse(
  request: Request,
  { gzip, etag }: CompressedText,
  more: Record<string, string>,
): Response {
  const headers = { 'cache-control': 'no-cache', vary: 'accept-encoding', ...more, etag }
  if (knowsTag(request, etag)) return new Response(null, { status: 304, headers })
  return takesCoding(request, 'gzip')
    ? new Response(gzip, { headers: { ...headers, 'content-encoding': 'gzip' } })
    : new Response(Bun.gunzipSync(gzip), { headers })
}
