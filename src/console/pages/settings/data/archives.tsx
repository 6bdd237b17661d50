import { useState } from 'react'

import { call } from '../../../api/client'
import { saveFile } from '../../../api/save-file'
import type { OrganizationArchive } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Switch } from '../../../parts/choice'
import { PasswordField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Item } from '../../../parts/item-list'
import { notify, report } from '../../../parts/toast'
import { formatBytes, formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Collection, usePage } from '../collection'
import { useRefresh } from '../../../live/use-refresh'
import { LOOKS } from './exports'

/** The shortest passphrase that the server takes. */
const LEAST = 12

/** The window in which an archive begins. */
function NewArchive({ organizationId, onClose }: { organizationId: string; onClose: () => void }) {
  const [hasMedia, setMedia] = useState(true)
  const refresh = useRefresh('GET /api/organizations/{id}/archives')
  return (
    <FormDialog
      title={t('archives.add')}
      submit={t('archives.begin')}
      onClose={onClose}
      onSave={async (data) => {
        const passphrase = textOf(data, 'passphrase')
        await call('POST /api/organizations/{id}/archive', {
          params: { id: organizationId },
          body: { include_media: hasMedia, ...(passphrase === '' ? {} : { passphrase }) },
        })
        notify(t('archives.begun'))
        await refresh()
      }}
    >
      <div className="choice-with-hint">
        <Switch isSelected={hasMedia} onChange={setMedia}>
          {t('archives.media')}
        </Switch>
        <p className="muted small">{t('archives.media-hint')}</p>
      </div>
      <PasswordField
        name="passphrase"
        label={t('archives.passphrase')}
        hint={t('archives.passphrase-hint')}
        autoComplete="off"
        minLength={LEAST}
        maxLength={1_024}
      />
    </FormDialog>
  )
}

/** Returns how large an archive is, what it has, and how long it is kept. */
const hintOf = ({ bytes, counts, error, ...one }: OrganizationArchive): string =>
  [
    bytes !== null && formatBytes(bytes),
    counts !== null && t('exports.rows', { count: counts.rows }),
    counts !== null &&
      counts.missing_files > 0 &&
      t('archives.missing', { count: counts.missing_files }),
    one.include_media && t('archives.media'),
    one.has_secrets && t('archives.with-secrets'),
    one.status === 'completed' &&
      one.expires_at !== null &&
      t('exports.until', { time: formatDateTime(one.expires_at) }),
    error ?? false,
  ]
    .filter((fact) => fact !== false)
    .join(' · ')

/** The archives of the organization, and those that are being written. */
export function Archives() {
  const { organization } = useMe()
  const [isAdding, setAdding] = useState(false)
  const mayArchive = useCan('organizations:export')
  const { id } = organization
  const wish = { params: { id }, query: { page: usePage(), limit: 20 } }
  const result = useApi('GET /api/organizations/{id}/archives', wish, mayArchive)
  const save = ({ id: archiveId, created_at: at }: OrganizationArchive): void => {
    const params = { id, archive_id: archiveId }
    const name = `archive-${at.slice(0, 10)}.zip`
    saveFile('GET /api/organizations/{id}/archives/{archive_id}/download', { params }, name).catch(
      report,
    )
  }
  const add = (): void => {
    setAdding(true)
  }
  return (
    <Collection
      title={t('archives.title')}
      hint={t('archives.hint')}
      needs="organizations:export"
      add={mayArchive ? { label: t('archives.add'), onPress: add } : null}
      empty={{ icon: 'file', title: t('archives.empty'), hint: t('archives.empty-hint') }}
      result={result}
      row={(one) => {
        const name = t('archives.of', { time: formatDateTime(one.created_at) })
        return (
          <Item
            key={one.id}
            name={name}
            badge={
              <span className={`chip ${LOOKS[one.status]}`}>
                {t(`exports.state.${one.status}`)}
              </span>
            }
            hint={hintOf(one)}
            actions={
              one.status === 'completed' && (
                <Button
                  icon="download"
                  aria-label={t('exports.download-of', { name })}
                  onPress={() => {
                    save(one)
                  }}
                >
                  {t('exports.download')}
                </Button>
              )
            }
          />
        )
      }}
    >
      {isAdding && (
        <NewArchive
          organizationId={id}
          onClose={() => {
            setAdding(false)
          }}
        />
      )}
    </Collection>
  )
}
