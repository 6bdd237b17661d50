import { useNavigate } from '@tanstack/react-router'
import { callOnce } from '../../api/call-once'
import { call, type Body } from '../../api/client'
import type { Contact } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import type { Selected } from '../../parts/table-bulk'
import { WorkButton } from '../../parts/work-button'
import { formatDate } from '../../texts/format'
import { t } from '../../texts/texts'
import type { Matching } from './bulk-change'

/** A condition that everybody meets. */
const EVERYBODY = { field: 'created_at', op: 'exists', value: true }

interface Props {
  selected: Selected<Contact>
  matching: Matching
}

/**
 * Begins a campaign to the selected contacts. All that match are a filter, which follows them; words
 * that were searched are none, so all of a search cannot be meant.
 */
export function CampaignButton({ selected, matching }: Props) {
  const navigate = useNavigate()
  const mayBegin = useCan('campaigns:create', 'campaigns:update', 'accounts:read')
  const accounts = useApi('GET /api/accounts', { query: { limit: 1 } }, mayBegin).data
  const [account] = accounts?.items ?? []
  const { isAll, rows } = selected
  if (!mayBegin || !account || (isAll && matching.search !== undefined)) return null
  const begin = async (): Promise<void> => {
    const name = t('wizard.new-name', { day: formatDate(serverNow()) })
    const body: Body<'POST /api/campaigns'> = {
      ...{ name, account_id: account.id },
      ...(isAll ? { audience: { filter: matching.filter ?? EVERYBODY } } : {}),
    }
    const { id } = await callOnce('POST /api/campaigns', { body })
    if (!isAll)
      await call('POST /api/campaigns/{id}/recipients/import', {
        params: { id },
        body: { recipients: rows.map((one) => ({ contact_id: one.id })) },
      })
    await navigate({
      to: '/campaigns/$campaignId/edit',
      params: { campaignId: id },
      search: {},
    })
  }
  return (
    <WorkButton look="quiet" icon="campaigns" onWork={begin}>
      {t('contacts.bulk.campaign')}
    </WorkButton>
  )
}
