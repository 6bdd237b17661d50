import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { IconButton } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Menu, MenuItem } from '../../parts/menu'
import { titleOf } from '../../parts/template/title'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { TestDialog } from './test-dialog'

/** States of templates that WhatsApp archives. */
const ARCHIVABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED', 'REJECTED'])
const SENDABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

/** What else can be done with a template. */
export function TemplateMenu({ template }: { template: Template }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'copy' | 'test' | 'delete' | null>(null)
  const maySend = useCan('messages:create') && SENDABLE.has(template.status)
  const mayCreate = useCan('templates:create', 'accounts:read')
  const mayDelete = useCan('templates:delete')
  const mayArchive = mayDelete && template.platform_id !== null && ARCHIVABLE.has(template.status)
  const mayRestore = useCan('templates:update') && template.status === 'ARCHIVED'
  const { archive, restore } = useArchive(template)
  const params = { id: template.id }
  const label = t('list.item.actions', { name: titleOf(template) })
  const close = (): void => {
    setAsked(null)
  }
  const ask = (what: NonNullable<typeof asked>) => () => {
    setAsked(what)
  }
  if (!maySend && !mayCreate && !mayDelete && !mayRestore) return null
  return (
    <>
      <Menu label={label} button={<IconButton icon="more" label={label} />}>
        {maySend && <MenuItem icon="phone" label={t('templates.test')} onAction={ask('test')} />}
        {mayCreate && (
          <MenuItem icon="copy" label={t('templates.duplicate')} onAction={ask('copy')} />
        )}
        {mayArchive && <MenuItem icon="inbox" label={t('templates.archive')} onAction={archive} />}
        {mayRestore && (
          <MenuItem icon="refresh" label={t('templates.restore')} onAction={restore} />
        )}
        {mayDelete && (
          <MenuItem
            icon="trash"
            isDangerous
            label={t('templates.delete')}
            onAction={ask('delete')}
          />
        )}
      </Menu>
      {asked === 'copy' && <Duplicate template={template} onClose={close} />}
      {asked === 'test' && <TestDialog template={template} onClose={close} />}
      <Confirm
        isOpen={asked === 'delete'}
        title={t('templates.delete-title', { name: titleOf(template) })}
        text={t('templates.delete-text')}
        action={t('templates.delete')}
        onClose={close}
        onConfirm={() => {
          call('DELETE /api/templates/{id}', { params })
            .then(() => navigate({ to: '/templates', search: {} }))
            .catch(report)
        }}
      />
    </>
  )
}

/** Returns how a template goes to the archive of WhatsApp, and comes back. */
function useArchive(template: Template) {
  const { id } = template
  const name = titleOf(template)
  const client = useQueryClient()
  const params = { id }
  const keep = (changed: Template): void => {
    client.setQueryData(keyOf('GET /api/templates/{id}', { params }), changed)
  }
  const restore = (): void => {
    call('POST /api/templates/{id}/restore', { params })
      .then((changed) => {
        keep(changed)
        notify(t('templates.restored', { name }))
      })
      .catch(report)
  }
  const archive = (): void => {
    call('POST /api/templates/{id}/archive', { params })
      .then((changed) => {
        keep(changed)
        notify(t('templates.archived', { name }), restore)
      })
      .catch(report)
  }
  return { archive, restore }
}

interface DialogProps {
  template: Template
  onClose: () => void
}

/** Makes a template like another one, and shows it. */
function Duplicate({ template: { id, name }, onClose }: DialogProps) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title={t('templates.duplicate')}
      submit={t('templates.duplicate')}
      onClose={onClose}
      onSave={async (data) => {
        const made = await callOnce('POST /api/templates/{id}/duplicate', {
          params: { id },
          body: { name: textOf(data, 'name').trim() },
        })
        await navigate({
          to: '/templates/$templateId',
          params: { templateId: made.id },
          search: {},
        })
      }}
    >
      <TextField
        name="name"
        label={t('contact.name')}
        hint={t('templates.name-hint')}
        defaultValue={`${name}_2`}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}
