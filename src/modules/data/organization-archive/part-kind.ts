import type { TableFate } from '../../../infra/table-fates'
import type { ArchivePart } from './archive-format'

/** Returns the kind of part that a table has in archives; `null` if its rows never travel. */
export function partKindOf({ kind, lasting, moving }: TableFate): ArchivePart['kind'] | null {
  if (kind === 'carried') return 'carried'
  if (lasting !== null) return 'sums'
  return moving === null ? null : 'moving'
}
