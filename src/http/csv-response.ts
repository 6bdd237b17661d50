import { textAnswer } from './text-response'

/** Responds with a CSV file that is generated while it is sent, as fast as the client reads it. */
export const csvAnswer = (request: Request, filename: string, pieces: Iterator<string>): Response =>
  textAnswer(request, { filename, mimeType: 'text/csv; charset=utf-8', pieces })
