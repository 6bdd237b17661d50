/** What the command line uses of this module. */
export { importFrom, type ImportResult } from './run'
export type { Source } from './entries'
export { listImports } from './list'
export { undoImport, UNDO_DAYS, type Undone } from './undo'
export { openChatwoot } from './sources/chatwoot'
export { openWhatomate } from './sources/whatomate'
export { reasonsOf, reportOf, totalsOf } from './report'
export { ProductImportError } from './model'
