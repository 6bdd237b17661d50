import { Link, useSearch } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { TemplateArea } from '../../parts/template/area'
import { titleOf } from '../../parts/template/title'
import { t } from '../../texts/texts'
import { columns, QUALITIES, STATES } from './columns'
import { CATEGORIES } from './form'
import { Sync } from './sync'

/** The messages that WhatsApp has to allow before they are sent. Those it refused come first. */
export function Templates() {
  const search = useSearch({ from: '/templates' })
  const show = useShow<typeof search>()
  const maySync = useCan('templates:sync')
  const mayCreate = useCan('templates:create', 'accounts:read')
  const { q, state, category, quality } = search
  return (
    <TemplateArea>
      <ListPage
        title={t('templates.title')}
        route="GET /api/templates"
        needs="templates:read"
        icon="templates"
        find={t('inbox.template.search')}
        words={q}
        filter={{ status: state, category, quality }}
        always={{ rejected_first: true }}
        columnsOf="templates"
        columns={columns((one) => (
          <Link to="/templates/$templateId" params={{ templateId: one.id }} search={{}}>
            <bdi>{titleOf(one)}</bdi>
          </Link>
        ))}
        nameOf={titleOf}
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
          <>
            <ChoiceFilter
              label={t('templates.state')}
              any={t('templates.any-state')}
              value={state}
              choices={STATES.map((id) => ({ id, label: t(`templates.state.${id}`) }))}
              onChange={(id) => {
                show({ state: id })
              }}
            />
            <ChoiceFilter
              label={t('templates.category')}
              any={t('templates.any-category')}
              value={category}
              choices={CATEGORIES.map((id) => ({ id, label: t(`templates.category.${id}`) }))}
              onChange={(id) => {
                show({ category: id })
              }}
            />
            <ChoiceFilter
              label={t('templates.quality')}
              any={t('templates.any-quality')}
              value={quality}
              choices={QUALITIES.map((id) => ({ id, label: t(`templates.quality.${id}`) }))}
              onChange={(id) => {
                show({ quality: id })
              }}
            />
          </>
        }
      />
    </TemplateArea>
  )
}
