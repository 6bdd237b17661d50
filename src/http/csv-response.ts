import { textFileResponse } from './text-response'

/** Responds with a CSV file that is generated while it is sent, as fast as the client reads it. */
export const csvResponse = (
  request: Request,
  filename: string,
  pieces: Iterator<string>,
): Response => textFileResponse(request, { filename, mimeType: 'text/csv; charset=utf-8', pieces })

/** Whether a request asks for a report as CSV: `format=csv`, or `Accept: text/csv`. */
export function wantsCsv({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const format = new URL(url).searchParams.get('format')
  return format === null
    ? /(^|,)\s*text\/csv\s*(;|,|$)/i.test(headers.get('accept') ?? '')
    : format === 'csv'
}
