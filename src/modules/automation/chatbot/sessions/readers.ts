import { reader } from '../../../../infra/read/reader'
import { sessionPage } from './queries'

/** Lists a page of the sessions with contacts the caller can see (`sessionPage`). */
export const ListSessions = reader('chatbot.sessions', 'list', sessionPage)
