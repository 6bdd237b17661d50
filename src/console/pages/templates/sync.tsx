import { useState } from 'react'

import { call } from '../../api/client'
import { Button } from '../../parts/button'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** Loads the templates from WhatsApp, and says what came of it. */
export function Sync() {
  const [isBusy, setBusy] = useState(false)
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
    <Button
      icon="refresh"
      isPending={isBusy}
      onPress={() => {
        setBusy(true)
        sync()
          .catch(report)
          .finally(() => {
            setBusy(false)
          })
      }}
    >
      {t('templates.sync')}
    </Button>
  )
}
