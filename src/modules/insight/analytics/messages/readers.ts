import { reader } from '../../../../infra/read/reader'
import { messageReport, type MessageQuery } from './queries'

/** The report on the messages of a period. */
export const ReadMessageReport = reader('analytics.messages', 'long', (ctx, query: MessageQuery) =>
  messageReport(ctx, query),
)
