/** What a file dialog for audio offers. */
export const audioTypes = 'audio/*,video/mp4,video/webm,video/ogg,.mp3,.wav,.flac,.ogg,.opus,.aac,.m4a,.mp4,.webm';
