import { textAnswer } from './text-response'

/**
 * Answers with a CSV file that is made while it is sent, piece by piece, as fast as the client
 * takes it.
 */
export const csvAnswer = (request: Request, filename: string, pieces: Iterator<string>): Response =>
  textAnswer(request, { filename, mimeType: 'text/csv; charset=utf-8', pieces })
