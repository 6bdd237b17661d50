import type { Data } from '../../api/client'
import { t } from '../../texts/texts'

/** An import as the server shows it. */
export type Import = Data<'GET /api/imports/{id}'>

/** The state of an import in a word. */
export const stateOf = ({ status, dry_run: isCheck }: Import): string =>
  isCheck && status === 'completed' ? t('import.state.checked') : t(`import.state.${status}`)
