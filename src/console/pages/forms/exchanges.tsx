import { useNavigate, useSearch } from '@tanstack/react-router'

import type { Flow, FlowExchange } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded, Pager } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { Empty } from '../../parts/state'
import { report } from '../../parts/toast'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { FormScreen } from './frame'

const LOOKS: Record<FlowExchange['outcome'], string> = {
  ...{ answered: 'good', completed: 'good', acknowledged: '', error: 'danger', expired: 'warn' },
}

/** What a form asked while customers filled it in. */
function List({ form }: { form: Flow }) {
  const { page = 1 } = useSearch({ from: '/forms/$formId/exchanges' })
  const navigate = useNavigate()
  const wish = { params: { id: form.id }, query: { page, limit: 50 } }
  const result = useApi('GET /api/flows/{id}/exchanges', wish, useCan('flows:read'))
  return (
    <Loaded result={result}>
      {({ items, total_pages: pages }) =>
        items.length === 0 ? (
          <Empty icon="list" title={t('forms.exchanges.empty')} />
        ) : (
          <>
            <ItemList label={t('forms.exchanges')}>
              {items.map((one, index) => (
                <Item
                  key={[one.at, index].join(' ')}
                  name={
                    one.screen === null
                      ? one.action
                      : t('forms.exchange', { action: one.action, screen: one.screen })
                  }
                  badge={
                    <span className={`chip ${LOOKS[one.outcome]}`}>
                      {t(`forms.outcome.${one.outcome}`)}
                    </span>
                  }
                  hint={[
                    formatDateTime(one.at),
                    t('forms.took', { ms: formatNumber(one.duration_ms) }),
                    ...(one.error === null ? [] : [one.error]),
                  ].join(' · ')}
                />
              ))}
            </ItemList>
            <Pager
              page={page}
              pages={pages}
              onPage={(next) => {
                navigate({ to: '.', search: { page: next } }).catch(report)
              }}
            />
          </>
        )
      }
    </Loaded>
  )
}

/** The requests to a form's endpoint, with their cause when they failed. */
export const Exchanges = () => (
  <FormScreen>
    {(form, tabs) => (
      <Page title={form.name} tabs={tabs}>
        <Section title={t('forms.exchanges')} hint={t('forms.exchanges-hint')}>
          <List form={form} />
        </Section>
      </Page>
    )}
  </FormScreen>
)
