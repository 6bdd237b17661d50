import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../../api/client'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Empty } from '../../../parts/state'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

/** Says why no template is shown; if none was loaded from WhatsApp yet, offers to load them. */
export function NoTemplates({ accountId }: { accountId: string }) {
  const client = useQueryClient()
  const mayLoad = useCan('templates:sync')
  const [isBusy, setBusy] = useState(false)
  const { data } = useApi('GET /api/templates', { query: { account_id: accountId, limit: 1 } })
  const load = async (): Promise<void> => {
    setBusy(true)
    try {
      const { synced, accounts } = await call('POST /api/templates/sync', {
        body: { account_id: accountId },
      })
      const failure = accounts.find(({ error }) => error !== null)?.error ?? null
      notify(failure ?? t('settings.numbers.synced', { count: synced }))
      await client.invalidateQueries({ queryKey: ['GET /api/templates'] })
    } finally {
      setBusy(false)
    }
  }
  if (!data) return null
  if (data.total !== 0)
    return (
      <Empty icon="templates" title={t('inbox.template.empty')} hint={t('inbox.template.hint')} />
    )
  return (
    <Empty
      icon="templates"
      title={t('inbox.template.unloaded')}
      hint={t(mayLoad ? 'inbox.template.unloaded-hint' : 'inbox.template.ask-to-load')}
    >
      {mayLoad && (
        <Button
          look="primary"
          isPending={isBusy}
          onPress={() => {
            load().catch(report)
          }}
        >
          {t('settings.numbers.sync')}
        </Button>
      )}
    </Empty>
  )
}
