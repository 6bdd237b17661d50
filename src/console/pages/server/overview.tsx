import { useState } from 'react'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import { Button } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { Loaded } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { formatBytes, formatDateTime, formatDuration, formatPercent } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { FailedJobs } from './failed-jobs'
import { Facts } from './facts'
import { FigureCards } from './figures'
import { Finding } from './finding'
import { Stored } from './stored'

type Health = Data<'GET /api/admin/health'>

/** How the server is: what needs somebody, and how the last day went. */
export function Overview() {
  const [isThorough, setThorough] = useState(false)
  const quick = useApi('GET /api/admin/health', {})
  const query = { thorough: true }
  const thorough = useApi('GET /api/admin/health', { query }, isThorough)
  const isLooking = isThorough && thorough.isFetching
  return (
    <Page
      title={t('server.overview.title')}
      actions={
        <Button
          icon="refresh"
          isPending={isLooking}
          onPress={() => {
            if (isThorough) thorough.refetch().catch(() => undefined)
            else setThorough(true)
          }}
        >
          {t('server.overview.thorough')}
        </Button>
      }
    >
      {isLooking && (
        <p role="status" className="muted">
          {t('server.overview.looking')}
        </p>
      )}
      <FailedJobs />
      <Loaded result={thorough.data === undefined ? quick : thorough}>
        {(health) => (
          <>
            <Findings health={health} />
            <FigureCards />
            <Facts facts={factsOf(health)} title={t('server.overview.facts')} />
            {health.cells.length > 0 && <Cells health={health} />}
            <Stored />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Findings({ health: { findings, checked_at: at } }: { health: Health }) {
  // failed jobs stand above, with what can be done about them
  const open = findings.filter(({ state, code }) => state !== 'ok' && code !== 'jobs_failed')
  const fine = [...new Set(findings.filter(({ state }) => state === 'ok').map(nameOfCheck))]
  return (
    <Section
      title={t('server.findings.title')}
      hint={t('server.findings.checked', { time: formatDateTime(at) })}
    >
      {open.length === 0 && <p className="all-well">{t('server.findings.none')}</p>}
      {open.length > 0 && (
        <ul className="findings" aria-label={t('server.findings.title')}>
          {open.map((finding) => (
            <Finding key={`${finding.check} ${finding.message}`} finding={finding} />
          ))}
        </ul>
      )}
      {fine.length > 0 && (
        <Disclosure title={t('server.findings.fine', { count: fine.length })}>
          {() => (
            <ul className="fine-checks">
              {fine.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </Section>
  )
}

const nameOfCheck = ({ check }: Health['findings'][number]): string =>
  findText(`server.check.${check}`) ?? check

const factsOf = (health: Health): [string, string | null][] => {
  const { disk_free_bytes: free, disk_bytes: disk, backup } = health
  return [
    [t('server.fact.version'), health.version],
    [
      t('server.fact.uptime'),
      t('server.fact.since', {
        duration: formatDuration(Math.max(0, serverNow() - Date.parse(health.started_at))),
        time: formatDateTime(health.started_at),
      }),
    ],
    [t('server.fact.memory'), formatBytes(health.memory_bytes)],
    [
      t('server.fact.disk'),
      free === null || disk === null
        ? null
        : t('server.fact.disk-free', {
            free: formatBytes(free),
            total: formatBytes(disk),
            share: formatPercent(disk === 0 ? 0 : Math.floor((free / disk) * 100) / 100),
          }),
    ],
    [t('server.fact.database'), formatBytes(health.database_bytes)],
    [
      t('server.fact.backup'),
      backup.newest_at === null ? t('server.fact.no-backup') : formatDateTime(backup.newest_at),
    ],
  ]
}

/** The servers that share the work. */
const Cells = ({ health: { cells } }: { health: Health }) => (
  <Section title={t('server.cells.title')} hint={t('server.cells.hint')}>
    <ul className="item-list" aria-label={t('server.cells.title')}>
      {cells.map(({ address, own, state, version }) => (
        <li key={address} className="item">
          <div className="grow">
            <p className="item-name">
              <bdi dir="ltr">{address}</bdi>
              {own && <span className="chip">{t('server.cells.own')}</span>}
              {!own && (
                <span className={`chip ${state === 'unreachable' ? 'danger' : ''}`}>
                  {t(`server.cells.${state}`)}
                </span>
              )}
            </p>
            <p className="muted small">
              {version === null ? t('server.cells.ask') : t('server.cells.version', { version })}
            </p>
          </div>
        </li>
      ))}
    </ul>
  </Section>
)
