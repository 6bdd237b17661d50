import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import type { Template } from '../../api/shapes'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { ValueFields } from '../../parts/template/value-fields'
import { isReadyWith, paramsOf, type Values } from '../../parts/template/values'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { exampleValues } from './shown-values'

interface Props {
  template: Template
  onClose: () => void
}

/** Sends a template to one phone, with its examples or what is written in their place. */
export function TestDialog({ template, onClose }: Props) {
  const [values, setValues] = useState<Values>(() => exampleValues(template.variables))
  const [own, setOwn] = useState<string | null>(null)
  return (
    <FormDialog
      title={t('templates.test')}
      submit={t('templates.test-send')}
      isDisabled={!isReadyWith(template, values, own ?? template.header_media_id)}
      onClose={onClose}
      onSave={async (data) => {
        await callOnce('POST /api/templates/{id}/test', {
          params: { id: template.id },
          body: {
            phone_number: textOf(data, 'phone_number').trim(),
            ...paramsOf(template, values, own),
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
      <ValueFields
        template={template}
        values={values}
        onChange={(name, value) => {
          setValues((before) => ({ ...before, [name]: value }))
        }}
        own={own}
        onFile={setOwn}
      />
      <p className="muted small">{t('templates.test-hint')}</p>
    </FormDialog>
  )
}
