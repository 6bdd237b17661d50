import { reader } from '../../../infra/read/reader'
import { countMatches, previewSegment } from './preview'

/** Counts and shows some of the contacts that match a filter (`previewSegment`). */
export const PreviewSegment = reader('segments.preview', 'long', previewSegment)

/** Counts the contacts that match a filter (`countMatches`). */
export const CountMatches = reader('segments.count', 'long', countMatches)
