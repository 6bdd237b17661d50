import { textFileResponse } from './text-response'

/** Responds with a CSV file that is generated while it is sent, as fast as the client reads it. */
export const csvResponse = (
  request: Request,
  filename: string,
  pieces: Iterator<string>,
): Response => textFileResponse(request, { filename, mimeType: 'text/csv; charset=utf-8', pieces })
