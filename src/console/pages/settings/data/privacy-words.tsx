import { saveFile } from '../../../api/save-file'
import type { PrivacyRequest } from '../../../api/shapes'
import { FoundName } from '../../../parts/found-select'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

const LOOKS: Record<PrivacyRequest['state'], string> = {
  running: '',
  completed: 'good',
  failed: 'danger',
  expired: '',
}

/** The state of a privacy request. */
export const PrivacyState = ({ state }: Pick<PrivacyRequest, 'state'>) => (
  <span className={`chip ${LOOKS[state]}`}>{t(`privacy.state.${state}`)}</span>
)

/** Who made a privacy request. */
export function Requester({ requested_by: by }: Pick<PrivacyRequest, 'requested_by'>) {
  return by === null ? t('privacy.by-server') : <FoundName kind="colleague" id={by} />
}

/** Whether a request has a file that can be saved. */
export const hasFile = ({ kind, state }: PrivacyRequest): boolean =>
  kind === 'export' && state === 'completed'

/** Saves the file of a privacy request on the device. */
export const saveCopy = ({ id }: PrivacyRequest): void => {
  saveFile(
    'GET /api/privacy/requests/{id}/download',
    { params: { id } },
    `privacy-export-${id}.zip`,
  ).catch(report)
}
