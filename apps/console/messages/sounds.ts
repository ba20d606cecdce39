/** The sounds of the console. Made by the browser: the page's policy allows no audio files. */

let context: AudioContext | undefined;

interface Sound {
  beeps: number;
  beepSeconds: number;
  pitchHz: number;
  volume: number;
}

export function soundAlarm(): void {
  play({ beeps: 3, beepSeconds: 0.16, pitchHz: 330, volume: 0.4 });
}

export function soundCounted(): void {
  play({ beeps: 1, beepSeconds: 0.06, pitchHz: 1_320, volume: 0.1 });
}

export function soundNewWork(): void {
  play({ beeps: 2, beepSeconds: 0.12, pitchHz: 880, volume: 0.15 });
}

function play({ beeps, beepSeconds, pitchHz, volume }: Sound): void {
  try {
    context ??= new AudioContext();
  } catch {
    // A device without sound: the text and the colour say the same.
    return;
  }
  void context.resume();
  const gain = new GainNode(context, { gain: volume });
  gain.connect(context.destination);
  for (let beep = 0; beep < beeps; beep++) {
    const tone = new OscillatorNode(context, { type: 'square', frequency: pitchHz });
    tone.connect(gain);
    const startsAt = context.currentTime + beep * beepSeconds * 1.5;
    tone.start(startsAt);
    tone.stop(startsAt + beepSeconds);
  }
}
