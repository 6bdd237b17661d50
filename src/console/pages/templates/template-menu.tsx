import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { IconButton } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Menu, MenuItem } from '../../parts/menu'
import { examplesOf } from '../../parts/phone/message'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

const SENDABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

/** What else can be done with a template. */
export function TemplateMenu({ template }: { template: Template }) {
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'copy' | 'test' | 'delete' | null>(null)
  const maySend = useCan('messages:create') && SENDABLE.has(template.status)
  const mayCreate = useCan('templates:create', 'accounts:read')
  const mayDelete = useCan('templates:delete')
  const params = { id: template.id }
  const label = t('list.item.actions', { name: template.display_name })
  const close = (): void => {
    setAsked(null)
  }
  const ask = (what: NonNullable<typeof asked>) => () => {
    setAsked(what)
  }
  if (!maySend && !mayCreate && !mayDelete) return null
  return (
    <>
      <Menu label={label} button={<IconButton icon="more" label={label} />}>
        {maySend && <MenuItem icon="phone" label={t('templates.test')} onAction={ask('test')} />}
        {mayCreate && (
          <MenuItem icon="copy" label={t('templates.duplicate')} onAction={ask('copy')} />
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
      {asked === 'test' && <Test template={template} onClose={close} />}
      <Confirm
        isOpen={asked === 'delete'}
        title={t('templates.delete-title', { name: template.display_name })}
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

/** Sends a template with its examples to one phone. */
function Test({ template, onClose }: DialogProps) {
  return (
    <FormDialog
      title={t('templates.test')}
      submit={t('templates.test-send')}
      onClose={onClose}
      onSave={async (data) => {
        const { body = {}, header = {}, buttons = {} } = examplesOf(template)
        await callOnce('POST /api/templates/{id}/test', {
          params: { id: template.id },
          body: {
            phone_number: textOf(data, 'phone_number').trim(),
            ...{ template_params: body, header_params: header, button_params: buttons },
          },
        })
        notify(t('templates.test-sent'))
      }}
    >
      <TextField
        name="phone_number"
        label={t('contacts.number')}
        hint={t('contacts.number-hint')}
        inputMode="tel"
        isRequired
        autoFocus
      />
      <p className="muted small">{t('templates.test-hint')}</p>
    </FormDialog>
  )
}
