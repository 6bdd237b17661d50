import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { GuideLink } from '../../parts/guide-link'
import { Icon } from '../../parts/icons'
import { ItemList } from '../../parts/item-list'
import { useShow } from '../../parts/list-page'
import { Loaded, Pager } from '../../parts/loaded'
import { Page, Section } from '../../parts/page'
import { Empty } from '../../parts/state'
import { formatDateTime, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { BackupItem, NewBackup } from './backup-item'
import { Facts } from './facts'
import { Finding } from './finding'

type Health = Data<'GET /api/admin/health'>

const PAGE = 20
const SECOND_DISK = '/docs/backup-and-restore'

/** The backups of the server: make, verify, download and delete them, and how one is restored. */
export function Backups() {
  const { page = 1 } = useSearch({ from: '/server' })
  const [isMaking, setMaking] = useState(false)
  const query = { page, limit: PAGE }
  const result = useApi('GET /api/admin/backups', { query })
  const health = useApi('GET /api/admin/health', {})
  const show = useShow<{ page?: number | undefined }>()
  const isRunning = result.data?.items.some(({ state }) => state === 'running') === true
  const make = (
    <Button
      look="primary"
      icon="plus"
      isDisabled={isRunning}
      onPress={() => {
        setMaking(true)
      }}
    >
      {t('server.backups.make')}
    </Button>
  )
  return (
    <Page title={t('server.backups.title')} hint={t('server.backups.hint')} actions={make}>
      {health.data && <Warnings health={health.data} />}
      <Loaded result={result}>
        {({ items, total_pages: pages }) =>
          items.length === 0 ? (
            <Empty
              icon="download"
              title={t('server.backups.empty')}
              hint={t('server.backups.empty-hint')}
            />
          ) : (
            <>
              <ItemList label={t('server.backups.title')}>
                {items.map((backup) => (
                  <BackupItem key={backup.id} backup={backup} />
                ))}
              </ItemList>
              <Pager
                page={page}
                pages={pages}
                onPage={(to) => {
                  show({ page: to })
                }}
              />
            </>
          )
        }
      </Loaded>
      {health.data && <Storage health={health.data} newest={result.data?.items[0]?.id ?? null} />}
      {isMaking && (
        <NewBackup
          onClose={() => {
            setMaking(false)
          }}
        />
      )}
    </Page>
  )
}

/** What is wrong with the backups, such as their age. */
const Warnings = ({ health: { findings } }: { health: Health }) => {
  const open = findings.filter(({ check, state }) => check === 'backups' && state !== 'ok')
  return open.length === 0 ? null : (
    <ul className="findings" aria-label={t('server.findings.title')}>
      {open.map((finding) => (
        <Finding key={finding.message} finding={finding} />
      ))}
    </ul>
  )
}

/** Where backups are, where copies of them should be, and the command that restores one. */
function Storage({ health: { backup }, newest }: { health: Health; newest: string | null }) {
  const { folder, elsewhere, interval_hours: hours, keep, newest_at: at } = backup
  const command = `switchboard restore ${folder ?? '/…'}/${newest ?? '…'} --yes`
  return (
    <>
      <Facts
        title={t('server.backups.where')}
        facts={[
          [
            t('server.backups.folder'),
            folder === null ? t('server.backups.no-folder') : <bdi dir="ltr">{folder}</bdi>,
          ],
          [
            t('server.backups.disk'),
            t(elsewhere ? 'server.backups.other-disk' : 'server.backups.same-disk'),
          ],
          [
            t('server.backups.often'),
            hours === 0
              ? t('server.backups.by-hand')
              : t('server.backups.every', { hours, keep: formatNumber(keep) }),
          ],
          [t('server.fact.backup'), at === null ? t('server.fact.no-backup') : formatDateTime(at)],
        ]}
      />
      {!elsewhere && (
        <div className="finding apart">
          <Icon name="info" />
          <p className="grow">
            {t('server.backups.elsewhere')} <GuideLink href={SECOND_DISK} />
          </p>
        </div>
      )}
      <Section title={t('server.backups.restore')} hint={t('server.backups.restore-hint')}>
        <pre className="command">
          <code dir="ltr">{command}</code>
        </pre>
        <p>
          <GuideLink href="/docs/backup-and-restore" />
        </p>
      </Section>
    </>
  )
}
