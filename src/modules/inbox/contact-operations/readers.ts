import { reader } from '../../../infra/read/reader'
import { duplicatePage } from './duplicates'

/** Lists pairs of contacts that may be the same person (`duplicatePage`). */
export const ListDuplicates = reader('contacts.duplicates', 'long', duplicatePage)
