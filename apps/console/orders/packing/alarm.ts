/** The sound of a wrong scan. Made by the browser: the page's policy allows no audio files. */

const BEEPS = 3;
const BEEP_SECONDS = 0.16;
const PITCH_HZ = 330;
const VOLUME = 0.4;

let context: AudioContext | undefined;

export function soundAlarm(): void {
  try {
    context ??= new AudioContext();
  } catch {
    // A device without sound: the text and the colour say the same.
    return;
  }
  void context.resume();
  const volume = new GainNode(context, { gain: VOLUME });
  volume.connect(context.destination);
  for (let beep = 0; beep < BEEPS; beep++) {
    const tone = new OscillatorNode(context, { type: 'square', frequency: PITCH_HZ });
    tone.connect(volume);
    const startsAt = context.currentTime + beep * BEEP_SECONDS * 1.5;
    tone.start(startsAt);
    tone.stop(startsAt + BEEP_SECONDS);
  }
}
