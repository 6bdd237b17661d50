import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import type { Data } from '../../api/client'
import { saveFile } from '../../api/save-file'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Checkbox } from '../../parts/choice'
import { PasswordField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { Progress } from '../../parts/progress'
import { report } from '../../parts/toast'
import { formatBytes, formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { useFresh } from './fresh'
import { useRefresh } from '../../live/use-refresh'

type Archive = Data<'GET /api/organizations/{id}/archives'>['items'][number]

interface Props {
  organizationId: string
  name: string
}

/** Archives that are listed; one lives for a week. */
const MOST = 50
const MIN_PASSPHRASE = 12

/** The archives of an organization, which another server can import. */
export function Archives({ organizationId: id, name }: Props) {
  const [isMaking, setMaking] = useState(false)
  const mayExport = useCan('organizations:export')
  const wish = { params: { id }, query: { limit: MOST } }
  const result = useApi('GET /api/organizations/{id}/archives', wish, mayExport)
  if (!mayExport) return null
  return (
    <Section
      title={t('server.archives.title')}
      hint={t('server.archives.hint')}
      actions={
        <Button
          icon="plus"
          onPress={() => {
            setMaking(true)
          }}
        >
          {t('server.archives.make')}
        </Button>
      }
    >
      <Loaded result={result} rows={1}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">{t('server.archives.none')}</p>
          ) : (
            <ItemList label={t('server.archives.title')}>
              {items.map((archive) => (
                <ArchiveItem key={archive.id} archive={archive} organizationId={id} name={name} />
              ))}
            </ItemList>
          )
        }
      </Loaded>
      {isMaking && (
        <NewArchive
          organizationId={id}
          name={name}
          onClose={() => {
            setMaking(false)
          }}
        />
      )}
    </Section>
  )
}

function hintOf({ bytes, counts, error, expires_at: expires, status }: Archive): string {
  return [
    bytes !== null && formatBytes(bytes),
    counts !== null && t('server.archives.rows', { rows: counts.rows, files: counts.files }),
    counts !== null &&
      counts.secrets_left > 0 &&
      t('server.archives.secrets-left', { count: counts.secrets_left }),
    status === 'completed' &&
      expires !== null &&
      t('server.archives.until', { time: formatDateTime(expires) }),
    error,
  ]
    .filter((one) => one !== false && one !== null)
    .join(' · ')
}

function ArchiveItem({ archive, organizationId, name }: Props & { archive: Archive }) {
  const fresh = useFresh()
  const mayExport = useCan('organizations:export')
  const { id, status, created_at: at, has_secrets: hasSecrets } = archive
  const title = formatDateTime(at)
  if (status === 'queued' || status === 'running')
    return (
      <li className="item">
        <Progress label={t('server.archives.running')} done={0} total={null} state="running" />
      </li>
    )
  const download = (): void => {
    const params = { id: organizationId, archive_id: id }
    const file = `${name}-${at.slice(0, 10)}.zip`
    fresh
      .run(() =>
        saveFile('GET /api/organizations/{id}/archives/{archive_id}/download', { params }, file),
      )
      .catch(report)
  }
  return (
    <>
      <Item
        name={title}
        badge={
          <>
            {status !== 'completed' && (
              <span className={status === 'failed' ? 'chip danger' : 'chip'}>
                {t(`server.archives.${status}`)}
              </span>
            )}
            {hasSecrets && <span className="chip">{t('server.archives.with-secrets')}</span>}
          </>
        }
        hint={hintOf(archive)}
        actions={
          mayExport &&
          status === 'completed' && (
            <Button icon="download" onPress={download}>
              {t('server.backups.download')}
            </Button>
          )
        }
      />
      {fresh.dialog}
    </>
  )
}

/** Asks for the passphrase of an archive, and has it written. */
function NewArchive({ organizationId: id, name, onClose }: Props & { onClose: () => void }) {
  const [hasFiles, setHasFiles] = useState(true)
  const mayExport = useCan('organizations:export')
  const changed = useRefresh('GET /api/organizations/{id}/archives')
  const fresh = useFresh()
  return (
    <>
      <FormDialog
        title={t('server.archives.make-title', { name })}
        submit={t('server.archives.make')}
        isDisabled={!mayExport}
        onClose={onClose}
        onSave={async (data) => {
          const passphrase = textOf(data, 'passphrase')
          const body = {
            include_media: hasFiles,
            ...(passphrase === '' ? {} : { passphrase }),
          }
          await fresh.run(() =>
            callOnce('POST /api/organizations/{id}/archive', { params: { id }, body }),
          )
          await changed()
        }}
      >
        <PasswordField
          name="passphrase"
          label={t('server.archives.passphrase')}
          hint={t('server.archives.passphrase-hint')}
          minLength={MIN_PASSPHRASE}
          autoComplete="new-password"
        />
        <Checkbox isSelected={hasFiles} onChange={setHasFiles}>
          {t('server.archives.with-files')}
        </Checkbox>
      </FormDialog>
      {fresh.dialog}
    </>
  )
}
