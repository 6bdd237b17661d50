import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import type { FlowSummary } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import type { Column } from '../../parts/table'
import { TemplateArea } from '../../parts/template/area'
import { notify } from '../../parts/toast'
import { WorkButton } from '../../parts/work-button'
import { formatNumber, formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { NewForm } from './new-form'
import { useFormsRefresh, useVerbs } from './verbs'
import { FormState, Health, STATES } from './words'

const columns = (): Column<FlowSummary>[] => [
  {
    ...{ id: 'name', label: t('forms.name'), width: 3 },
    cell: ({ id, name }) => (
      <Link dir="auto" to="/forms/$formId" params={{ formId: id }}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    ...{ id: 'state', label: t('forms.state'), width: 2.8 },
    cell: (form) => (
      <>
        <FormState {...form} />
        {form.has_local_changes && form.status === 'DRAFT' && (
          <span className="second small">{t('forms.unsaved')}</span>
        )}
      </>
    ),
  },
  {
    ...{ id: 'health', label: t('forms.health'), width: 1.4 },
    cell: (form) => <Health {...form} />,
  },
  {
    ...{ id: 'responses', label: t('forms.responses'), width: 1, isNumber: true },
    cell: ({ response_count: count }) => formatNumber(count),
  },
  {
    ...{ id: 'changed', label: t('forms.changed'), width: 1.2, isNumber: true, isExtra: true },
    cell: ({ updated_at: at }) => <time dateTime={at}>{formatShort(at)}</time>,
  },
]

/** Loads the forms that WhatsApp has, and says what came of it. */
function Sync() {
  const refresh = useFormsRefresh()
  const sync = async (): Promise<void> => {
    const { synced, accounts } = await call('POST /api/flows/sync', { body: {} })
    const reason = accounts.find(({ error }) => error !== null)?.error ?? null
    notify(reason ?? t('forms.synced', { count: synced }))
    refresh()
  }
  return (
    <WorkButton icon="refresh" onWork={sync}>
      {t('forms.sync')}
    </WorkButton>
  )
}

/** The forms that customers fill in inside of WhatsApp. */
export function Forms() {
  const search = useSearch({ from: '/forms' })
  const show = useShow<typeof search>()
  const mayCreate = useCan('flows:create', 'accounts:read')
  const mayUpdate = useCan('flows:update')
  const { menu, windows } = useVerbs()
  const [isAdding, setAdding] = useState(false)
  return (
    <TemplateArea>
      <ListPage
        title={t('forms.title')}
        hint={t('forms.hint')}
        route="GET /api/flows"
        needs="flows:read"
        icon="list"
        find={t('forms.find')}
        words={search.q}
        filter={{ status: search.state }}
        columns={columns()}
        nameOf={({ name }) => name}
        menu={menu}
        empty={t('forms.empty')}
        emptyHint={t('forms.empty-hint')}
        actions={
          <>
            {mayUpdate && <Sync />}
            {mayCreate && (
              <Button
                look="primary"
                icon="plus"
                onPress={() => {
                  setAdding(true)
                }}
              >
                {t('forms.new')}
              </Button>
            )}
          </>
        }
        filters={
          <ChoiceFilter
            label={t('forms.state')}
            any={t('forms.any-state')}
            value={search.state}
            choices={STATES.map((id) => ({ id, label: t(`forms.state.${id}`) }))}
            onChange={(state) => {
              show({ state })
            }}
          />
        }
      >
        {windows}
        {isAdding && (
          <NewForm
            onClose={() => {
              setAdding(false)
            }}
          />
        )}
      </ListPage>
    </TemplateArea>
  )
}
