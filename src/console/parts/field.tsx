import { useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import {
  FieldError,
  Form as AriaForm,
  FormContext,
  Input,
  Label,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type FormProps,
  type TextFieldProps,
} from 'react-aria-components'

import { ApiError } from '../api/error'
import { t } from '../texts/texts'
import { IconButton } from './button'
import { fieldWords } from './field-words'

interface Props extends Omit<TextFieldProps, 'className' | 'children'> {
  label: string
  hint?: string
  placeholder?: string
  inputMode?: 'decimal' | 'numeric' | 'text' | 'tel' | 'email' | 'url'
}

/** A text field with its label, hint and error. */
export function TextField({ label, hint, placeholder, inputMode, ...props }: Props) {
  return (
    <AriaTextField {...props} className="field">
      <Label>{label}</Label>
      <Input dir="auto" placeholder={placeholder ?? ''} {...(inputMode ? { inputMode } : {})} />
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
    </AriaTextField>
  )
}

/** A field for several lines. */
export function TextArea({
  label,
  hint,
  placeholder,
  rows = 4,
  ...props
}: Props & { rows?: number }) {
  return (
    <AriaTextField {...props} className="field">
      <Label>{label}</Label>
      <AriaTextArea dir="auto" rows={rows} placeholder={placeholder ?? ''} />
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
    </AriaTextField>
  )
}

interface NumberProps {
  name: string
  label: string
  hint?: string
  /** The value, or `null` for an empty field. */
  value: number | null
  /** The smallest and the largest number. */
  range: readonly [least: number, most: number]
  onChange: (value: number) => void
  /** Called when the field is emptied. Without it a number is needed. */
  onClear?: () => void
}

/** A field for a whole number. What was no number is forgotten when the field is left. */
export function NumberField({ value, range, onChange, onClear, ...props }: NumberProps) {
  const [written, setWritten] = useState<string | null>(null)
  const [least, most] = range
  return (
    <TextField
      {...props}
      inputMode="numeric"
      isRequired={!onClear}
      value={written ?? String(value ?? '')}
      onChange={(text) => {
        const digits = text.replaceAll(/\D/g, '').slice(0, 9)
        setWritten(digits)
        if (digits !== '') onChange(Number(digits))
        else onClear?.()
      }}
      onBlur={() => {
        setWritten(null)
      }}
      validate={() =>
        value !== null && (value < least || value > most)
          ? t('parts.field.range', { least, most })
          : null
      }
    />
  )
}

/** A password field with a button that shows what was typed. */
export function PasswordField({ label, hint, ...props }: Props) {
  const [isShown, setShown] = useState(false)
  return (
    <AriaTextField {...props} type={isShown ? 'text' : 'password'} className="field password">
      <Label>{label}</Label>
      <div className="with-button">
        <Input />
        <IconButton
          icon={isShown ? 'eye-off' : 'eye'}
          label={t(isShown ? 'parts.password.hide' : 'parts.password.show')}
          onPress={() => {
            setShown(!isShown)
          }}
        />
      </div>
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
    </AriaTextField>
  )
}

/** Returns the errors of the server by the field they belong to, for `validationErrors`. */
export function fieldErrors(error: unknown): Record<string, string> {
  return error instanceof ApiError ? fieldWords(error) : {}
}

interface FormOptions extends Omit<FormProps, 'className' | 'onSubmit' | 'children'> {
  onSubmit: (data: FormData) => void
  children: ReactNode
}

/** A form that never leaves the page: `onSubmit` gets its fields. */
export function Form({ onSubmit, children, validationErrors = {}, ...props }: FormOptions) {
  // What the server refused counts until the next try, whose cause may lie in another field: the
  // browser would not send the form again before this very field has changed.
  const said = JSON.stringify(validationErrors)
  const [tried, setTried] = useState<string | null>(null)
  return (
    // a form in a window takes nothing over from the form that the window was opened in
    <FormContext.Provider value={null}>
      <AriaForm
        {...props}
        className="form"
        validationErrors={tried === said ? {} : validationErrors}
        onClickCapture={({ target }) => {
          if (target instanceof Element && target.closest('[type=submit]'))
            flushSync(() => setTried(said))
        }}
        onSubmit={(event) => {
          event.preventDefault()
          if (event.target !== event.currentTarget) return
          setTried(null)
          onSubmit(new FormData(event.currentTarget))
        }}
      >
        {children}
      </AriaForm>
    </FormContext.Provider>
  )
}

/** Returns a field of a form as text. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}
