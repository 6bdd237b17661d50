import { call } from '../../api/client'
import { notify } from '../../parts/toast'
import { WorkButton } from '../../parts/work-button'
import { t } from '../../texts/texts'

/** Loads the templates from WhatsApp, and says what came of it. */
export function Sync() {
  const sync = async (): Promise<void> => {
    const { synced, accounts, ...counts } = await call('POST /api/templates/sync', { body: {} })
    const reason = accounts.find(({ error }) => error !== null)?.error ?? null
    notify(
      reason === null
        ? t('templates.synced', { synced, new: counts.new, updated: counts.updated })
        : t('templates.not-synced', { reason }),
    )
  }
  return (
    <WorkButton icon="refresh" onWork={sync}>
      {t('templates.sync')}
    </WorkButton>
  )
}
