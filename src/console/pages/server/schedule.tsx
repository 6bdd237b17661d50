import { Link } from '@tanstack/react-router'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { formatDateTime } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { nameOfJob } from './job-words'

type Recurring = Data<'GET /api/jobs/schedule'>['items'][number]

const UNITS = ['second', 'minute', 'hour', 'day'] as const

/** Returns how often work is done, which the server says in English or as a cron expression. */
export function oftenOf(schedule: string): string {
  const [, count = '1', unit = ''] =
    /^every (?:(\d+) )?(second|minute|hour|day)s?$/.exec(schedule) ?? []
  const known = UNITS.find((one) => one === unit)
  if (known !== undefined) return t(`server.every.${known}`, { count: Number(count) })
  const [, minute = '', hour = '', zone = ''] =
    /^(\d+) (\d+) \* \* \* \((.+)\)$/.exec(schedule) ?? []
  if (zone === '') return schedule
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  return t('server.every.night', { time, zone })
}

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
