import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { callOnce } from '../../api/call-once'
import { saveFile } from '../../api/save-file'
import { Checkbox } from '../../parts/choice'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { Progress } from '../../parts/progress'
import { notify, report } from '../../parts/toast'
import { formatBytes, formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { useFresh } from './fresh'
import { TypedDialog } from './typed-dialog'
import { useRefresh } from '../../live/use-refresh'

type Backup = Data<'GET /api/admin/backups'>['items'][number]

/** What a backup is called: by its name, or by when it was made. */
const nameOfBackup = ({ label, started_at: at }: Backup): string => label ?? formatDateTime(at)

const ROUTES = ['GET /api/admin/backups', 'GET /api/admin/health'] as const

/** How a backup is, in one line. */
function hintOf(backup: Backup): string {
  const { label, automatic, started_at: at, size_bytes: size, files, error } = backup
  return [
    label !== null && formatDateTime(at),
    t(automatic ? 'server.backups.automatic' : 'server.backups.manual'),
    size !== null && formatBytes(size),
    files !== null && t('server.backups.files', { count: files.count }),
    files !== null &&
      files.missing > 0 &&
      t('server.backups.missing-files', { count: files.missing }),
    error,
  ]
    .filter((one) => one !== false && one !== null)
    .join(' · ')
}

const Badge = ({ backup: { state, verified, verifying } }: { backup: Backup }) => (
  <>
    {state === 'failed' && <span className="chip danger">{t('server.backups.failed')}</span>}
    {verifying && <span className="chip">{t('server.backups.verifying')}</span>}
    {state === 'completed' && !verifying && (
      <span className={verified ? 'chip good' : 'chip warn'}>
        {t(verified ? 'server.backups.verified' : 'server.backups.unverified')}
      </span>
    )}
  </>
)

/** A backup, with what can be done with it. */
export function BackupItem({ backup }: { backup: Backup }) {
  const { id, state, verifying } = backup
  const [isDeleting, setDeleting] = useState(false)
  const changed = useRefresh(...ROUTES)
  const fresh = useFresh()
  const name = nameOfBackup(backup)
  if (state === 'running')
    return (
      <li className="item">
        <Progress
          label={t('server.backups.running', { name })}
          done={0}
          total={null}
          state="running"
        />
      </li>
    )
  const verify = (): void => {
    call('POST /api/admin/backups/{id}/verify', { params: { id } }).then(changed).catch(report)
  }
  const download = (): void => {
    const file = `switchboard-${backup.started_at.slice(0, 10)}.zip`
    fresh
      .run(() => saveFile('GET /api/admin/backups/{id}/download', { params: { id } }, file))
      .catch(report)
  }
  return (
    <>
      <Item
        name={name}
        badge={<Badge backup={backup} />}
        hint={hintOf(backup)}
        menu={
          <>
            {state === 'completed' && !verifying && (
              <MenuItem icon="check" label={t('server.backups.verify')} onAction={verify} />
            )}
            {state === 'completed' && (
              <MenuItem icon="download" label={t('server.backups.download')} onAction={download} />
            )}
            <MenuItem
              icon="trash"
              label={t('server.backups.delete')}
              onAction={() => {
                setDeleting(true)
              }}
            />
          </>
        }
      />
      {fresh.dialog}
      {isDeleting && (
        <TypedDialog
          title={t('server.backups.delete-title', { name })}
          text={t('server.backups.delete-hint')}
          action={t('server.backups.delete')}
          name={name}
          onClose={() => {
            setDeleting(false)
          }}
          onConfirm={async () => {
            await call('DELETE /api/admin/backups/{id}', { params: { id } })
            notify(t('server.backups.deleted', { name }))
            await changed()
          }}
        />
      )}
    </>
  )
}

/** Asks what a backup is called, and starts it. */
export function NewBackup({ onClose }: { onClose: () => void }) {
  const changed = useRefresh(...ROUTES)
  const [isVerified, setVerified] = useState(true)
  return (
    <FormDialog
      title={t('server.backups.make')}
      submit={t('server.backups.start')}
      onClose={onClose}
      onSave={async (data) => {
        const label = textOf(data, 'label').trim()
        const body = { verify: isVerified, ...(label === '' ? {} : { label }) }
        await callOnce('POST /api/admin/backups', { body })
        await changed()
      }}
    >
      <p>{t('server.backups.make-hint')}</p>
      <TextField
        name="label"
        label={t('server.backups.label')}
        hint={t('server.backups.label-hint')}
        maxLength={100}
        autoFocus
      />
      <Checkbox isSelected={isVerified} onChange={setVerified}>
        {t('server.backups.verify-after')}
      </Checkbox>
    </FormDialog>
  )
}
