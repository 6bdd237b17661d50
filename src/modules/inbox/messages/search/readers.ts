import { reader } from '../../../../infra/read/reader'
import { searchMessages } from './search'

/** Searches the messages that the caller can see (`searchMessages`). */
export const SearchMessages = reader('messages.search', 'list', searchMessages)
