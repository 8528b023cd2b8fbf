-- Which complaints report a crash, which component failed, and what happened?
-- Crash and details are asked of the default model; the component is chosen by a small embedding model.
SELECT
  id,
  AI_CLASSIFY(
    summary,
    [
      {label: 'air bags', description: 'air bag did not deploy, deployed by itself, or its warning light is on'},
      {label: 'back over prevention', description: 'backup camera shows no image'},
      {label: 'electrical system', description: 'battery, wiring, fuses, dashboard display, electrical power lost'},
      {label: 'engine', description: 'engine stalls, knocks, overheats, burns oil, check engine light, coolant'},
      {label: 'equipment', description: 'accessories such as a radio, jack, child seat, trailer hitch or appliance'},
      {label: 'exterior lighting', description: 'headlights, tail lights, brake lights or turn signals'},
      {label: 'forward collision avoidance', description: 'automatic emergency braking, phantom braking, radar sensor'},
      {label: 'fuel system', description: 'fuel pump, fuel tank, fuel leak, smell of gasoline, hybrid or electric drive battery'},
      {label: 'lane departure', description: 'lane keeping assist or autopilot steers or fails to keep the lane'},
      {label: 'latches and locks', description: 'door, hood or tailgate latch or lock does not open or stay closed'},
      {label: 'power train', description: 'transmission slips, jerks or shifts hard, will not shift into gear, clutch, drive shaft'},
      {label: 'seat belts', description: 'seat belt, buckle or retractor'},
      {label: 'seats', description: 'driver seat, seat back, recliner, head rest or seat heater'},
      {label: 'service brakes', description: 'the brakes fail, brake pedal goes to the floor, brake pads, rotors, brake fluid, ABS'},
      {label: 'speed control', description: 'sudden unintended acceleration, vehicle surged forward, cruise control, accelerator pedal'},
      {label: 'steering', description: 'steering wheel, power steering, loss of steering'},
      {label: 'structure', description: 'body, frame rust, roof leaks water, sunroof shattered, hood flew up, bumper, paint'},
      {label: 'suspension', description: 'suspension, shocks, struts, control arm, spring or ball joint broke, shaking, death wobble'},
      {label: 'tires', description: 'tire blowout, tread separation, flat or worn tire'},
      {label: 'visibility', description: 'windshield cracked, window glass, mirrors, wipers, defroster'},
      {label: 'wheels', description: 'wheel rims, lug nuts, hub, wheel came off or cracked'}
    ],
    {model: 'minilm'}
  ) AS component,
  AI_EXTRACT(
    summary,
    {event: 'string: What happened, in at most ten words?', injured: 'boolean: Does it say that somebody was hurt?'}
  ) AS what
FROM complaints
WHERE AI_FILTER('The complaint {summary} reports a crash')
ORDER BY id
