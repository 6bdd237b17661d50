import { useQuery } from '@tanstack/react-query'

import { call } from '../../api/client'
import type { Campaign, CampaignRecipient } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { nameOf } from '../../parts/contact/name'
import { formatPhone } from '../../texts/phone'
import { t } from '../../texts/texts'
import type { CampaignForm } from './form'
import type { Person } from './sources'

/** How many people are shown the message of. */
const SHOWN = 3

/** Returns a few people of the audience, and the columns that their file has. */
export function usePeople(
  campaign: Campaign | null,
  form: CampaignForm,
): { people: readonly Person[]; columns: readonly string[] } {
  const mayRead = useCan('contacts:read')
  const segment = useApi(
    'GET /api/segments/{id}',
    { params: { id: form.segment_id ?? '' } },
    mayRead && form.segment_id !== null,
  )
  const filter = form.filter ?? segment.data?.filter ?? null
  const found = useQuery({
    queryKey: ['POST /api/contacts/search', 'people of a campaign', filter],
    queryFn: ({ signal }) =>
      call('POST /api/contacts/search', {
        body: { limit: SHOWN, ...(filter === null ? {} : { filter }) },
        signal,
      }),
    enabled: mayRead && filter !== null,
  })
  const listed = useApi(
    'GET /api/campaigns/{id}/recipients',
    { params: { id: campaign?.id ?? '' }, query: { limit: SHOWN } },
    campaign !== null && campaign.total_recipients > 0,
  ).data
  const rows = listed?.items ?? []
  const ids = rows.flatMap(({ contact_id: id }) => id ?? [])
  const contacts = useQuery({
    queryKey: ['GET /api/contacts/{id}', 'people of a campaign', ids],
    queryFn: () => Promise.all(ids.map((id) => call('GET /api/contacts/{id}', { params: { id } }))),
    enabled: mayRead && ids.length > 0,
  })
  const people = [
    ...rows.map((row): Person => ({
      ...{ id: row.id, name: wordFor(row), columns: row.columns },
      contact: contacts.data?.find(({ id }) => id === row.contact_id) ?? null,
    })),
    ...(found.data?.items ?? []).map((contact): Person => ({
      ...{ id: contact.id, name: nameOf(contact), contact, columns: {} },
    })),
  ]
  return {
    people: people.slice(0, SHOWN),
    columns: [...new Set(rows.flatMap(({ columns }) => Object.keys(columns)))],
  }
}

const wordFor = ({ name, phone_number: number }: CampaignRecipient): string =>
  name ?? (number === null ? t('campaigns.nameless') : formatPhone(number))
