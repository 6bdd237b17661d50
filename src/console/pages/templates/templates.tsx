import { Link, useSearch } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { t } from '../../texts/texts'
import { columns, STATES } from './columns'
import { Preview } from './preview'
import { Sync } from './sync'

/** The messages that WhatsApp has to allow before they are sent. */
export function Templates() {
  const search = useSearch({ from: '/templates' })
  const show = useShow<typeof search>()
  const { q, state, shown } = search
  return (
    <ListPage
      title={t('templates.title')}
      route="GET /api/templates"
      needs="templates:read"
      icon="templates"
      find={t('inbox.template.search')}
      words={q}
      filter={{ status: state }}
      columns={columns(({ id, display_name: name }) => (
        <Link to="/templates" search={{ ...search, shown: id }}>
          <bdi>{name}</bdi>
        </Link>
      ))}
      nameOf={({ display_name: name }) => name}
      empty={t('templates.empty')}
      emptyHint={t('templates.empty-hint')}
      actions={useCan('templates:sync') && <Sync />}
      filters={
        <ChoiceFilter
          label={t('templates.state')}
          any={t('templates.any-state')}
          value={state}
          choices={STATES.map((id) => ({ id, label: t(`templates.state.${id}`) }))}
          onChange={(id) => {
            show({ state: id })
          }}
        />
      }
    >
      {shown !== undefined && (
        <Preview
          id={shown}
          onClose={() => {
            show({ shown: undefined })
          }}
        />
      )}
    </ListPage>
  )
}
