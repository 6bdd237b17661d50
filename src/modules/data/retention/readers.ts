import { reader } from '../../../infra/read/reader'
import { previewRetention } from './preview'

/** Counts what limits would erase (`previewRetention`). */
export const PreviewRetention = reader('retention.preview', 'long', previewRetention)
