import { Link } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { formatDateTime } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { nameOfJob, oftenOf } from './words'

type Recurring = Data<'GET /api/jobs/schedule'>['items'][number]

/** Work that the server does by itself, again and again. */
export function Schedule() {
  const result = useApi('GET /api/jobs/schedule', {})
  return (
    <Page title={t('server.schedule.title')} hint={t('server.schedule.hint')}>
      <Loaded result={result} rows={10}>
        {({ items }) => (
          <ItemList label={t('server.schedule.title')}>
            {items.map((one) => (
              <RecurringItem key={one.name} work={one} />
            ))}
          </ItemList>
        )}
      </Loaded>
    </Page>
  )
}

function RecurringItem({ work }: { work: Recurring }) {
  const { name, schedule, last_outcome: outcome, last_run_at: last, next_run_at: next } = work
  const isFine = outcome === null || outcome === 'completed' || outcome === 'scheduled'
  return (
    <Item
      name={nameOfJob(name)}
      link={
        <Link to="/server/jobs" search={{ kind: name }}>
          {nameOfJob(name)}
        </Link>
      }
      badge={
        !isFine && (
          <span className="chip danger">{findText(`server.job-state.${outcome}`) ?? outcome}</span>
        )
      }
      hint={[
        oftenOf(schedule),
        last === null
          ? t('server.schedule.never')
          : t('server.schedule.last', { time: formatDateTime(last) }),
        t('server.schedule.next', { time: formatDateTime(next) }),
      ].join(' · ')}
    />
  )
}
