import { valueOf, type JsonText } from '../infra/read/pool'
import { okText } from './read-answer'
import { textFileResponse, type Pieces } from './text-response'

/** Responds with a CSV file that is generated while it is sent, as fast as the client reads it. */
export const csvResponse = (request: Request, filename: string, pieces: Pieces): Response =>
  textFileResponse(request, { filename, mimeType: 'text/csv; charset=utf-8', pieces })

/** Whether a request asks for a report as CSV: `format=csv`, or `Accept: text/csv`. */
export function wantsCsv({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const format = new URL(url).searchParams.get('format')
  return format === null
    ? /(^|,)\s*text\/csv\s*(;|,|$)/i.test(headers.get('accept') ?? '')
    : format === 'csv'
}

/** Responds with the answer of a read, or with a CSV file of it if the client asks for that. */
export const textOrCsv = <Answer>(
  request: Request,
  text: JsonText<Answer>,
  filename: string,
  piecesOf: (answer: Answer) => Pieces,
): ReturnType<typeof okText<Answer>> =>
  wantsCsv(request)
    ? (csvResponse(request, filename, piecesOf(valueOf(text))) as never) // a file instead of the envelope
    : okText(text)
