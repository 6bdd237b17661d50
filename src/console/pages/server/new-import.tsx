import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import { useApi } from '../../live/query'
import { PasswordField, TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Upload } from '../../parts/upload'
import { t } from '../../texts/texts'
import { useFresh } from './fresh'
import { importError } from './words'
import { useRefresh } from '../../live/use-refresh'

const MIB = 1024 * 1024
const USUAL_MIB = 100

/** Takes an archive, and has it checked: nothing is changed before the person has seen what comes. */
export function NewImport({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [path, setPath] = useState('')
  const settings = useApi('GET /api/admin/health', {}).data?.settings ?? []
  const limit = settings.find(({ name }) => name === 'UPLOAD_LIMIT_MIB')?.value ?? USUAL_MIB
  const changed = useRefresh('GET /api/admin/organizations/imports')
  const navigate = useNavigate()
  const fresh = useFresh()
  return (
    <>
      <FormDialog
        title={t('server.imports.start')}
        submit={t('server.imports.check')}
        size="medium"
        isDisabled={file === null && path.trim() === ''}
        onClose={onClose}
        onSave={async (data) => {
          const passphrase = textOf(data, 'passphrase')
          const body = bodyOf({ file, path: path.trim(), passphrase })
          await fresh.run(async () => {
            const { id } = await call('POST /api/admin/organizations/import', { body }).catch(
              (error: unknown) => {
                throw importError(error)
              },
            )
            await changed()
            await navigate({
              to: '/server/imports/$importId',
              params: { importId: id },
              search: {},
            })
          })
        }}
      >
        <p>{t('server.imports.start-hint')}</p>
        {file === null ? (
          <Upload
            label={t('server.imports.file')}
            hint={t('server.imports.file-hint')}
            accept=".zip"
            maxBytes={Number(limit) * MIB}
            onFile={setFile}
          />
        ) : (
          <p>
            <bdi>{file.name}</bdi>
          </p>
        )}
        {file === null && (
          <TextField
            name="path"
            label={t('server.imports.path')}
            hint={t('server.imports.path-hint')}
            value={path}
            onChange={setPath}
            maxLength={500}
          />
        )}
        <PasswordField
          name="passphrase"
          label={t('server.imports.passphrase')}
          hint={t('server.imports.passphrase-hint')}
          autoComplete="off"
        />
      </FormDialog>
      {fresh.dialog}
    </>
  )
}

/** What is sent: the file itself, or where the server finds it. */
function bodyOf({
  file,
  path,
  passphrase,
}: {
  file: File | null
  path: string
  passphrase: string
}) {
  const secret = passphrase === '' ? {} : { passphrase }
  if (file === null) return { path, ...secret, dry_run: true }
  const form = new FormData()
  if (passphrase !== '') form.set('passphrase', passphrase)
  form.set('dry_run', 'true')
  form.set('file', file)
  return form
}
