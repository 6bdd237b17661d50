import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import { CAMPAIGN_STATES, type Campaign } from '../../api/shapes'
import { useCan } from '../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { MenuItem } from '../../parts/menu'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { columns } from './columns'
import { useDeletion } from './delete-draft'
import { isPrepared, useVerbs, VERB_ICONS, VERBS } from './verbs'

/** Messages to many, what became of them, and how far they are. */
export function Campaigns() {
  const search = useSearch({ from: '/campaigns' })
  const show = useShow<typeof search>()
  const { menu, windows } = useMenu()
  const mayCreate = useCan('campaigns:create')
  return (
    <ListPage
      title={t('campaigns.title')}
      route="GET /api/campaigns"
      needs="campaigns:read"
      icon="campaigns"
      find={t('campaigns.search')}
      words={search.q}
      filter={{ status: search.state }}
      columnsOf="campaigns"
      columns={columns(({ id, name }) => (
        <Link to="/campaigns/$campaignId" params={{ campaignId: id }} search={{}} dir="auto">
          {name}
        </Link>
      ))}
      nameOf={({ name }) => name}
      {...(menu ? { menu } : {})}
      actions={
        mayCreate && (
          <Link className="button primary" to="/campaigns/new" search={{}}>
            {t('wizard.new')}
          </Link>
        )
      }
      empty={t('campaigns.empty')}
      emptyHint={t('campaigns.empty-hint')}
      filters={
        <ChoiceFilter
          label={t('templates.state')}
          any={t('templates.any-state')}
          value={search.state}
          choices={CAMPAIGN_STATES.map((id) => ({ id, label: t(`campaigns.state.${id}`) }))}
          onChange={(state) => {
            show({ state })
          }}
        />
      }
    >
      {windows}
    </ListPage>
  )
}

/** Returns the menu of a campaign in the list, if the user may do anything, and the windows that ask. */
function useMenu() {
  const { steer, windows } = useVerbs()
  const { askDelete, deleteWindow } = useDeletion()
  const navigate = useNavigate()
  const mayChange = useCan('campaigns:update')
  const mayDelete = useCan('campaigns:delete')
  const mayExecute = useCan('campaigns:execute')
  const menu = (campaign: Campaign) => {
    const items = [
      mayChange && isPrepared(campaign) && (
        <MenuItem
          key="edit"
          icon="edit"
          label={t('campaigns.edit')}
          onAction={() => {
            const params = { campaignId: campaign.id }
            navigate({ to: '/campaigns/$campaignId/edit', params, search: {} }).catch(report)
          }}
        />
      ),
      ...(mayExecute ? (VERBS[campaign.status] ?? []) : []).map((verb) => (
        <MenuItem
          key={verb}
          icon={VERB_ICONS[verb]}
          isDangerous={verb === 'cancel'}
          label={t(`campaigns.${verb}`)}
          onAction={() => {
            steer(verb, campaign)
          }}
        />
      )),
      mayDelete && campaign.status === 'draft' && (
        <MenuItem
          key="delete"
          icon="trash"
          isDangerous
          label={t('campaigns.delete')}
          onAction={() => {
            askDelete(campaign)
          }}
        />
      ),
    ].filter((item) => item !== false)
    return items.length === 0 ? undefined : items
  }
  return {
    menu: mayChange || mayExecute || mayDelete ? menu : null,
    windows: (
      <>
        {windows}
        {deleteWindow}
      </>
    ),
  }
}
