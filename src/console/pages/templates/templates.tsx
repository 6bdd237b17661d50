import { Link, useSearch } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { TemplateArea } from '../../parts/template/area'
import { t } from '../../texts/texts'
import { columns, STATES } from './columns'
import { Sync } from './sync'

/** The messages that WhatsApp has to allow before they are sent. Those it refused come first. */
export function Templates() {
  const search = useSearch({ from: '/templates' })
  const show = useShow<typeof search>()
  const maySync = useCan('templates:sync')
  const mayCreate = useCan('templates:create', 'accounts:read')
  const { q, state } = search
  return (
    <TemplateArea>
      <ListPage
        title={t('templates.title')}
        route="GET /api/templates"
        needs="templates:read"
        icon="templates"
        find={t('inbox.template.search')}
        words={q}
        filter={{ status: state }}
        always={{ rejected_first: true }}
        columnsOf="templates"
        columns={columns(({ id, display_name: name }) => (
          <Link to="/templates/$templateId" params={{ templateId: id }} search={{}}>
            <bdi>{name}</bdi>
          </Link>
        ))}
        nameOf={({ display_name: name }) => name}
        empty={t('templates.empty')}
        emptyHint={t('templates.empty-hint')}
        actions={
          <>
            {maySync && <Sync />}
            {mayCreate && (
              <Link
                className="button primary"
                to="/templates/$templateId"
                params={{ templateId: 'new' }}
                search={{}}
              >
                {t('templates.new')}
              </Link>
            )}
          </>
        }
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
      />
    </TemplateArea>
  )
}
