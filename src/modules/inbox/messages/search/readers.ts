import { reader } from '../../../../infra/read/reader'
import { searchNotes } from './notes'
import { searchMessages } from './search'

/** Searches the messages that the caller can see (`searchMessages`). */
export const SearchMessages = reader('messages.search', 'list', searchMessages)

/** Searches the notes about contacts that the caller can see (`searchNotes`). */
export const SearchNotes = reader('messages.search-notes', 'list', searchNotes)
