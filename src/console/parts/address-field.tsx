import { TextField } from './field'

/** Characters of an address that the server takes at most. */
const MOST = 2_048

interface Props {
  name: string
  label: string
  hint?: string
  value: string
  onChange: (url: string) => void
}

/** A field for the address of a program that the server calls. */
export const AddressField = ({ onChange, ...props }: Props) => (
  <TextField
    {...props}
    inputMode="url"
    isRequired
    maxLength={MOST}
    onChange={(url) => {
      onChange(url.trim())
    }}
  />
)
